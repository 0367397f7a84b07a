//! How wide the columns of a table are at a given width.

use super::page_table::Fold;

/// Blanks between two columns.
pub(super) const GAP: usize = 2;

/// Narrowest column of text.
const MIN_TEXT: usize = 10;

/// Narrowest column of sentences.
const MIN_PROSE: usize = 24;

/// Narrowest column of identifiers: eight characters and the mark of the cut.
const MIN_ID: usize = 9;

/// What a column needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    pub(super) fold: Fold,
    /// Width of the header on one line.
    pub(super) header: usize,
    /// Width of the longest word of the header.
    pub(super) header_word: usize,
    /// Width of the widest cell.
    pub(super) cells: usize,
}

impl Need {
    fn wanted(&self) -> usize {
        self.header.max(self.cells)
    }

    /// Numbers are never broken; a header may be broken between its words.
    fn least(&self) -> usize {
        self.header_word.max(match self.fold {
            Fold::Never => self.cells,
            Fold::Wrap => self.cells.min(MIN_TEXT),
            Fold::Whole => self.cells.min(MIN_PROSE),
            Fold::Cut => self.cells.min(MIN_ID),
        })
    }
}

/// The widths of all columns, or `None` if the table cannot be drawn in `room` columns without breaking numbers.
pub(super) fn fit(needs: &[Need], room: usize) -> Option<Vec<usize>> {
    let room = room.checked_sub(GAP * needs.len().saturating_sub(1))?;
    let wanted: Vec<usize> = needs.iter().map(Need::wanted).collect();
    if wanted.iter().sum::<usize>() <= room {
        return Some(wanted);
    }
    let mut widths: Vec<usize> = needs.iter().map(Need::least).collect();
    let mut left = room.checked_sub(widths.iter().sum())?;
    // What is left goes to the narrowest column that wants more, so that one long text does not starve the others.
    // Identifiers come last: a bit more of one tells nothing. Each round hands out one column; a terminal has few.
    for late in [false, true] {
        while left > 0 {
            let columns = widths.iter_mut().zip(&wanted).zip(needs);
            let hungry = columns.filter(|((w, wanted), n)| **w < **wanted && (n.fold == Fold::Cut) == late);
            let Some(width) = hungry.map(|((width, _), _)| width).min() else { break };
            *width += 1;
            left -= 1;
        }
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cells: usize) -> Need {
        Need { fold: Fold::Wrap, header: 4, header_word: 4, cells }
    }

    fn number(header: usize, header_word: usize, cells: usize) -> Need {
        Need { fold: Fold::Never, header, header_word, cells }
    }

    #[test]
    fn text_gives_way_and_numbers_do_not() {
        let needs = [text(40), number(10, 5, 7), text(12)];
        assert_eq!(fit(&needs, 120), Some(vec![40, 10, 12]));
        assert_eq!(fit(&needs, 60), Some(vec![34, 10, 12]));
        assert_eq!(fit(&needs, 32), Some(vec![10, 8, 10]));
        assert_eq!(fit(&needs, 30), None);
        let id = Need { fold: Fold::Cut, header: 2, header_word: 2, cells: 36 };
        assert_eq!(fit(&[id, text(40)], 60), Some(vec![18, 40]));
        assert_eq!(fit(&[id, text(40)], 40), Some(vec![9, 29]));
        assert_eq!(fit(&[], 10), Some(vec![]));
    }
}
