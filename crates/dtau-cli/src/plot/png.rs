//! PNG from SVG, by resvg, with a font of our own: text must not vanish where no font is installed.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::{Arc, LazyLock};

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// A drawing of [`standalone`](super::standalone), at twice its size, for sharp text on any screen.
pub fn to_png(svg: &str) -> Result<Vec<u8>, String> {
    const ZOOM: f32 = 2.0;
    let options = Options { fontdb: FONTS.clone(), font_family: "DejaVu Sans".into(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| format!("the drawing is not SVG: {error}"))?;
    let size = tree.size().to_int_size().scale_by(ZOOM).ok_or("the drawing has no size")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("the drawing is too large")?;
    resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::standalone;

    /// Dark pixels of text, on a machine that may have no fonts.
    #[test]
    fn text_is_drawn() {
        let picture = |text: &str| {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 200 40\" width=\"200\" height=\"40\">\
                 <text class=\"title\" x=\"5\" y=\"20\">{text}</text></svg>"
            );
            let png = to_png(&standalone(&svg)).unwrap();
            Pixmap::decode_png(&png).unwrap()
        };
        let dark = |p: &Pixmap| p.pixels().iter().filter(|p| p.red() < 128).count();
        assert!(dark(&picture("∂q̈/∂τ = M⁻¹")) > 200);
        assert_eq!(dark(&picture("")), 0);
    }
}
