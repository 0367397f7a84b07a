use super::picture::Hue;

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rgb(pub(super) u8, pub(super) u8, pub(super) u8);

/// How a series is filled. Two series that share a colour differ in their stripes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fill {
    pub(super) color: Rgb,
    pub(super) stripes: Option<Rgb>,
}

/// On which ground a chart is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on near-black.
    Dark,
}

/// Colours that people with any of the common colour-vision deficiencies tell apart: those of Okabe and Ito, "Color
/// Universal Design" (2008), in an order in which neighbours differ most; on white indigo for yellow, which vanishes there,
/// on black all of them lighter.
const LIGHT: [Rgb; 7] = [
    Rgb(0x00, 0x72, 0xb2),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x00, 0x9e, 0x73),
    Rgb(0x56, 0xb4, 0xe9),
    Rgb(0x4b, 0x3f, 0x8f),
    Rgb(0xcc, 0x79, 0xa7),
    Rgb(0xd5, 0x5e, 0x00),
];
const DARK: [Rgb; 7] = [
    Rgb(0x3d, 0x9b, 0xe9),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x2d, 0xc0, 0x8d),
    Rgb(0x9a, 0xd4, 0xf5),
    Rgb(0xf0, 0xe4, 0x42),
    Rgb(0xe0, 0x8b, 0xb8),
    Rgb(0xf0, 0x74, 0x3e),
];

impl Theme {
    pub(super) const fn ground(self) -> Rgb {
        match self {
            Self::Light => Rgb(0xff, 0xff, 0xff),
            Self::Dark => Rgb(0x0d, 0x11, 0x17),
        }
    }

    pub(super) const fn text(self) -> Rgb {
        match self {
            Self::Light => Rgb(0x1f, 0x23, 0x28),
            Self::Dark => Rgb(0xe6, 0xed, 0xf3),
        }
    }

    /// Text of less weight, still with a contrast of 4.5 to 1.
    pub(super) const fn faint(self) -> Rgb {
        match self {
            Self::Light => Rgb(0x59, 0x63, 0x6e),
            Self::Dark => Rgb(0x91, 0x98, 0xa1),
        }
    }

    pub(super) const fn grid(self) -> Rgb {
        match self {
            Self::Light => Rgb(0xe4, 0xe7, 0xeb),
            Self::Dark => Rgb(0x2a, 0x31, 0x3c),
        }
    }

    pub(super) const fn axis(self) -> Rgb {
        match self {
            Self::Light => Rgb(0x8c, 0x95, 0x9f),
            Self::Dark => Rgb(0x6e, 0x76, 0x81),
        }
    }

    pub(super) fn fill(self, hue: Hue) -> Fill {
        let colors = match self {
            Self::Light => LIGHT,
            Self::Dark => DARK,
        };
        let [blue, amber, .., vermilion] = colors;
        let plain = |color| Fill { color, stripes: None };
        match hue {
            Hue::Nth(n) => {
                let color = colors.get(n % colors.len()).copied().unwrap_or(blue);
                let striped = (n / colors.len()) % 2 == 1;
                Fill { color, stripes: striped.then_some(self.ground()) }
            }
            Hue::Good => plain(blue),
            Hue::Warn => plain(amber),
            Hue::Bad => Fill { color: vermilion, stripes: Some(self.ground()) },
            Hue::Ink => plain(self.text()),
            Hue::Rest => plain(match self {
                Self::Light => Rgb(0xc0, 0xc6, 0xcd),
                Self::Dark => Rgb(0x5a, 0x63, 0x6e),
            }),
        }
    }

    /// `color` thinned towards the ground, for the area below a curve.
    pub(super) fn pale(self, color: Rgb) -> Rgb {
        let Rgb(r, g, b) = color;
        let ground = self.ground();
        let mix = |part: u8, ground: u8| u8::try_from((u16::from(part) + 4 * u16::from(ground)) / 5).unwrap_or(ground);
        Rgb(mix(r, ground.0), mix(g, ground.1), mix(b, ground.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Relative luminance by the Web Content Accessibility Guidelines 2.2, "relative luminance".
    fn luminance(Rgb(r, g, b): Rgb) -> f64 {
        let part = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_fills_stand_out_from_the_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            for text in [theme.text(), theme.faint()] {
                assert!(contrast(text, theme.ground()) >= 4.5, "{theme:?} {text:?}");
            }
            for n in 0..7 {
                let color = theme.fill(Hue::Nth(n)).color;
                assert!(contrast(color, theme.ground()) >= 2.0, "{theme:?} {n} {color:?}");
            }
        }
    }

    #[test]
    fn fourteen_series_look_different() {
        for theme in [Theme::Light, Theme::Dark] {
            let looks: BTreeSet<String> = (0..14).map(|n| format!("{:?}", theme.fill(Hue::Nth(n)))).collect();
            assert_eq!(looks.len(), 14);
        }
    }

    /// Linear simulation of full protanopia and deuteranopia, Viénot, Brettel and Mollon (1999), in RGB.
    fn seen(Rgb(r, g, b): Rgb, matrix: [[f64; 3]; 3]) -> [f64; 3] {
        let linear = [r, g, b].map(|c| (f64::from(c) / 255.0).powf(2.2));
        matrix.map(|row| row.iter().zip(linear).map(|(m, c)| m * c).sum::<f64>().max(0.0).powf(1.0 / 2.2))
    }

    #[test]
    fn neighbours_differ_for_the_colour_blind() {
        let protan = [[0.112_38, 0.887_62, 0.0], [0.112_38, 0.887_62, 0.0], [0.004_01, -0.004_01, 1.0]];
        let deutan = [[0.292_75, 0.707_25, 0.0], [0.292_75, 0.707_25, 0.0], [-0.022_34, 0.022_34, 1.0]];
        for theme in [Theme::Light, Theme::Dark] {
            for matrix in [protan, deutan] {
                for n in 0..6 {
                    let [a, b] = [n, n + 1].map(|n| seen(theme.fill(Hue::Nth(n)).color, matrix));
                    let apart: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(apart > 0.3, "{theme:?}: series {n} and the next are {apart:.2} apart");
                }
            }
        }
    }
}
