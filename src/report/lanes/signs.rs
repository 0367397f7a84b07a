use super::super::cell::Tone;
use super::super::page_lanes::Ink;

/// Heights of what is counted.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_HEIGHTS: [char; 8] = ['1', '2', '3', '4', '5', '6', '7', '8'];

/// How high `count` is drawn: each number has its own height up to eight, beyond that the highest stands for `most`.
pub(super) fn height(count: usize, most: usize, unicode: bool) -> char {
    let heights = if unicode { HEIGHTS } else { ASCII_HEIGHTS };
    let step = count.saturating_mul(heights.len()).div_ceil(most.max(heights.len()));
    heights.get(step.saturating_sub(1)).copied().unwrap_or('?')
}

/// What stands in a column of a bar or a line.
pub(super) const fn base(ink: Ink, tone: Tone, unicode: bool) -> char {
    match (ink, unicode) {
        (Ink::Bar, _) => bar(tone, unicode),
        (Ink::Dots, true) => '┄',
        (Ink::Dots, false) => '.',
        (_, true) => '─',
        (_, false) => '-',
    }
}

/// A bar looks different where it is not as it should be, also without colours.
const fn bar(tone: Tone, unicode: bool) -> char {
    match (tone, unicode) {
        (Tone::Bad, true) => '╳',
        (Tone::Bad, false) => 'X',
        (Tone::Warn, true) => '▒',
        (Tone::Warn, false) => '%',
        (_, true) => '█',
        (_, false) => '#',
    }
}
