use resvg::usvg::fontdb::{Database, FaceInfo, ID, Style};
use skrifa::{FontRef, MetadataProvider};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Latin, Greek, Cyrillic, arrows, signs: what is drawn with this font looks the same on every machine.
/// Where it comes from and how it was made smaller stands in `reports/fonts/README.md`.
const EMBEDDED: &[u8] = include_bytes!("../../../reports/fonts/DejaVuSans-subset.ttf");
/// The family of the embedded font.
pub(super) const FAMILY: &str = "DejaVu Sans";

/// Families that are asked first for a character that the embedded font does not have, in this order. Without an order,
/// Chinese would be drawn in the forms of whichever language's font is found first.
const PREFERRED: [&str; 12] = [
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Noto Color Emoji",
    "Apple Color Emoji",
    "Segoe UI Emoji",
    "Noto Sans",
    "DejaVu Sans",
];

/// Fonts for text in PNG files.
#[derive(Debug, Clone)]
pub struct Fonts {
    pub(super) faces: Arc<Database>,
    /// In the order in which they are asked; the embedded font is the first.
    order: Vec<ID>,
}

/// Which face draws which character.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// Characters that the embedded font does not have; `None` if no face has them.
    faces: BTreeMap<char, Option<ID>>,
}

impl Fonts {
    /// The embedded font only.
    pub fn embedded() -> Self {
        Self::with(Vec::new())
    }

    /// The embedded font and those that are installed on this machine. Reads their files.
    pub fn of_system() -> Self {
        let mut installed = Database::new();
        installed.load_system_fonts();
        Self::with(installed.faces().cloned().collect())
    }

    fn with(mut faces: Vec<FaceInfo>) -> Self {
        faces.sort_by_cached_key(|face| (rank(face), face.post_script_name.clone(), face.index));
        let mut database = Database::new();
        database.load_font_data(EMBEDDED.to_vec());
        let mut order: Vec<ID> = database.faces().map(|face| face.id).collect();
        order.extend(faces.into_iter().map(|face| database.push_face_info(face)));
        database.set_sans_serif_family(FAMILY);
        Self { faces: Arc::new(database), order }
    }

    /// The face of the embedded font.
    pub(super) fn first(&self) -> Option<ID> {
        self.order.first().copied()
    }

    /// Looks for a face for each of these characters. Each file is opened once, and only as long as something is missing.
    pub(super) fn coverage(&self, characters: &BTreeSet<char>) -> Coverage {
        let mut left: Vec<char> = characters.iter().copied().filter(|c| !has_no_glyph(*c)).collect();
        let mut faces = BTreeMap::new();
        for face in &self.order {
            if left.is_empty() {
                break;
            }
            let has = self.faces.with_face_data(*face, |data, index| {
                let Ok(font) = FontRef::from_index(data, index) else { return Vec::new() };
                let map = font.charmap();
                left.iter().map(|c| map.map(*c).is_some()).collect()
            });
            let has: Vec<bool> = has.unwrap_or_default();
            let mut has = has.into_iter();
            left.retain(|c| {
                let found = has.next().unwrap_or(false);
                if found && Some(*face) != self.first() {
                    faces.insert(*c, Some(*face));
                }
                !found
            });
        }
        faces.extend(left.into_iter().map(|c| (c, None)));
        Coverage { faces }
    }
}

impl Coverage {
    /// The face for a character that those tried so far do not have. Where there is none, any that some other character
    /// needs: the renderer gives up on a text at its first character without a face.
    pub(super) fn face(&self, c: char, tried: &[ID]) -> Option<ID> {
        let fresh = |face: &ID| !tried.contains(face);
        let own = self.faces.get(&c).copied().flatten().filter(fresh);
        own.or_else(|| self.faces.values().copied().flatten().find(fresh))
    }

    /// Characters that no face has.
    pub(super) fn missing(&self) -> BTreeSet<char> {
        self.faces.iter().filter(|(_, face)| face.is_none()).map(|(c, _)| *c).collect()
    }
}

/// Joiners and selectors change their neighbours and are not drawn themselves.
fn has_no_glyph(c: char) -> bool {
    c.is_whitespace() || c == '\u{200d}' || ('\u{fe00}'..='\u{fe0f}').contains(&c)
}

/// Which face is asked before which.
fn rank(face: &FaceInfo) -> (usize, bool, bool, u16) {
    let is = |name: &str| face.families.iter().any(|(family, _)| family == name);
    let preferred = PREFERRED.iter().position(|name| is(name)).unwrap_or(PREFERRED.len());
    let odd = face.families.iter().any(|(family, _)| family.contains("Serif") || family.contains("Mono"));
    (preferred, odd, face.style != Style::Normal, face.weight.0.abs_diff(400))
}
