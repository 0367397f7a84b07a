//! Lanes as text: a label, the axis, a remark.

mod draw;
mod fold;
mod frame;
mod notes;
mod row;
mod scale;
mod signs;

pub(super) use draw::draw;
