//! What classes look like: in the page by variables, which change in the dark; in a file by plain colours.

/// Hues that can be told apart, also by those who see fewer of them, on white and on black.
pub const HUES: usize = 8;

/// For light backgrounds.
const LIGHT: [&str; HUES] = ["#d1495b", "#1b6ca8", "#2a9d6f", "#e08e1b", "#7b52ab", "#4a4e69", "#13a3b5", "#b5651d"];

/// How many shades a heat map has.
pub const SHADES: usize = 12;

/// For the page; variables are in the page's own style.
pub const PAGE_STYLE: &str = "\
.drawing{width:100%;height:auto;display:block;font-family:inherit}
.drawing text{fill:var(--ink);font-size:12px}
.drawing .title{font-size:14px;font-weight:600}
.drawing .tick,.drawing .key{font-size:11.5px;fill:var(--soft)}
.drawing .key{fill:var(--ink)}
.drawing .label{font-size:12px;fill:var(--soft)}
.drawing .value{font-size:11px;fill:var(--soft)}
.grid{stroke:var(--grid);stroke-width:1}
.minor{stroke:var(--grid);stroke-width:.5;opacity:.6}
.axis{stroke:var(--soft);stroke-width:1;fill:none}
.mark{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
.curve{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
.band{opacity:.16;stroke:none}
.dotted{stroke-dasharray:9 4 2 4}
.dashed{stroke-dasharray:6 5}
.whisker{stroke:var(--ink);stroke-width:1.2;opacity:.55}
.frame{fill:var(--panel);stroke:var(--grid)}
.guide{stroke:var(--soft);stroke-width:1;opacity:.7}
";

/// A drawing as a file of its own: light, with the colours inside and a font that is everywhere or bundled.
pub fn standalone(svg: &str) -> String {
    let mut style = String::from("text{font-family:'DejaVu Sans',Verdana,sans-serif}");
    let plain = PAGE_STYLE
        .replace(".drawing ", "")
        .replace("font-family:inherit", "")
        .replace("var(--ink)", "#1c2430")
        .replace("var(--soft)", "#5a6572")
        .replace("var(--grid)", "#e3e7ec")
        .replace("var(--panel)", "#ffffff");
    style.extend(plain.lines().filter(|line| !line.starts_with(".drawing{")));
    for (k, colour) in LIGHT.iter().enumerate() {
        style += &format!(".s{k}{{stroke:{colour}}}.f{k}{{fill:{colour}}}");
    }
    for k in 0..SHADES {
        style += &format!(".h{k}{{fill:{}}}", shade(k, &ON_LIGHT));
    }
    let end = svg.find('>').map_or(0, |at| at + 1);
    let (open, rest) = svg.split_at(end);
    let background = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>";
    format!("{open}\n<style>{style}</style>\n{background}{rest}")
}

/// Variables of the page for hues and shades, light and dark.
pub fn variables() -> (String, String) {
    const DARK: [&str; HUES] = ["#ff7a8a", "#5fb0f0", "#4fd3a0", "#f5b54a", "#b794f6", "#b8bfd6", "#45d0e0", "#e39a5b"];
    let list = |colours: &[&str], ramp: &Ramp| -> String {
        let hues = colours.iter().enumerate().map(|(k, colour)| format!("--s{k}:{colour};"));
        hues.chain((0..SHADES).map(|k| format!("--h{k}:{};", shade(k, ramp)))).collect()
    };
    (list(&LIGHT, &ON_LIGHT), list(&DARK, &ON_DARK))
}

/// Rules that give every hue and shade its class.
pub fn classes() -> String {
    let hues = (0..HUES).map(|k| format!(".s{k}{{stroke:var(--s{k})}}.f{k}{{fill:var(--s{k})}}"));
    let shades = (0..SHADES).map(|k| format!(".h{k}{{fill:var(--h{k})}}"));
    hues.chain(shades).collect()
}

/// Corner colours of the shades, small entries to large ones: small ones are nearest to the background.
type Ramp = [[f64; 3]; 5];
const ON_LIGHT: Ramp =
    [[208.0, 226.0, 242.0], [122.0, 178.0, 214.0], [64.0, 124.0, 178.0], [92.0, 62.0, 148.0], [196.0, 40.0, 92.0]];
const ON_DARK: Ramp =
    [[38.0, 64.0, 98.0], [48.0, 108.0, 164.0], [118.0, 118.0, 208.0], [214.0, 104.0, 160.0], [255.0, 190.0, 120.0]];

fn shade(k: usize, ramp: &Ramp) -> String {
    let at = k as f64 / (SHADES - 1) as f64 * (ramp.len() - 1) as f64;
    let i = (at as usize).min(ramp.len() - 2);
    let share = at - i as f64;
    let mix = |c: usize| (ramp[i][c] + share * (ramp[i + 1][c] - ramp[i][c])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
