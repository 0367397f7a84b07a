//! How wide the columns of a table are at a given width.

use super::page::Align;

/// Blanks between two columns.
pub(super) const GAP: usize = 2;

/// Narrowest column of text.
const MIN_TEXT: usize = 10;

/// What a column needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    pub(super) align: Align,
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
        match self.align {
            Align::Right => self.header_word.max(self.cells),
            Align::Left => self.header_word.max(self.cells.min(MIN_TEXT)),
        }
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
    // What is left goes to the narrowest column that wants more, so that one long text does not starve the others. Each
    // round hands out a column; a terminal has few of them.
    while left > 0 {
        let hungry =
            widths.iter_mut().zip(&wanted).filter(|(width, wanted)| **width < **wanted).map(|(width, _)| width);
        let Some(width) = hungry.min() else { break };
        *width += 1;
        left -= 1;
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cells: usize) -> Need {
        Need { align: Align::Left, header: 4, header_word: 4, cells }
    }

    fn number(header: usize, header_word: usize, cells: usize) -> Need {
        Need { align: Align::Right, header, header_word, cells }
    }

    #[test]
    fn text_gives_way_and_numbers_do_not() {
        let needs = [text(40), number(10, 5, 7), text(12)];
        assert_eq!(fit(&needs, 120), Some(vec![40, 10, 12]));
        assert_eq!(fit(&needs, 60), Some(vec![34, 10, 12]));
        assert_eq!(fit(&needs, 32), Some(vec![10, 8, 10]));
        assert_eq!(fit(&needs, 30), None);
        assert_eq!(fit(&[], 10), Some(vec![]));
    }
}
