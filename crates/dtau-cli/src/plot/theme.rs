//! What classes look like: in the page by variables, which change in the dark; in a file by plain colours.

/// Hues that can be told apart, also by those who see fewer of them, on white and on black.
pub const HUES: usize = 11;

/// What is right, what is wrong, and what is not judged: hues beside those of series.
pub const GOOD: usize = 8;
pub const BAD: usize = 9;
pub const NEUTRAL: usize = 10;

/// For light backgrounds.
const LIGHT: [&str; HUES] = [
    "#d1495b", "#1b6ca8", "#2a9d6f", "#e08e1b", "#7b52ab", "#4a4e69", "#13a3b5", "#b5651d", "#1a7f4e", "#b3261e",
    "#7c8794",
];

/// How many shades a heat map has for each sign.
pub const SHADES: usize = 7;

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
.dot{stroke:var(--panel);stroke-width:1}
.dot.ring{fill:none;stroke-width:1.6}
.limit{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:5 3}
.noise{fill:var(--soft);opacity:.55}
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
    for (name, colour) in shades(&ON_LIGHT) {
        style += &format!(".h{name}{{fill:{colour}}}");
    }
    let end = svg.find('>').map_or(0, |at| at + 1);
    let (open, rest) = svg.split_at(end);
    let background = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>";
    format!("{open}\n<style>{style}</style>\n{background}{rest}")
}

/// Variables of the page for hues and shades, light and dark.
pub fn variables() -> (String, String) {
    const DARK: [&str; HUES] = [
        "#ff7a8a", "#5fb0f0", "#4fd3a0", "#f5b54a", "#b794f6", "#b8bfd6", "#45d0e0", "#e39a5b", "#5fd69b", "#ff8d85",
        "#8996a5",
    ];
    let list = |colours: &[&str], ramps: &Ramps| -> String {
        let hues = colours.iter().enumerate().map(|(k, colour)| format!("--s{k}:{colour};"));
        let shades = shades(ramps).map(|(name, colour)| format!("--h{name}:{colour};"));
        hues.chain(shades).collect()
    };
    (list(&LIGHT, &ON_LIGHT), list(&DARK, &ON_DARK))
}

/// Rules that give every hue and shade its class.
pub fn classes() -> String {
    let hues = (0..HUES).map(|k| format!(".s{k}{{stroke:var(--s{k})}}.f{k}{{fill:var(--s{k})}}"));
    let shades = shades(&ON_LIGHT).map(|(name, _)| format!(".h{name}{{fill:var(--h{name})}}"));
    hues.chain(shades).collect()
}

/// Colours of the least and the largest entries, positive and negative: the least are nearest to the background.
type Ramps = [[[f64; 3]; 3]; 2];
const ON_LIGHT: Ramps = [
    [[253.0, 224.0, 200.0], [240.0, 130.0, 70.0], [160.0, 24.0, 40.0]],
    [[208.0, 226.0, 245.0], [86.0, 150.0, 210.0], [20.0, 48.0, 120.0]],
];
const ON_DARK: Ramps = [
    [[74.0, 46.0, 34.0], [200.0, 100.0, 52.0], [255.0, 205.0, 140.0]],
    [[28.0, 50.0, 84.0], [58.0, 122.0, 196.0], [168.0, 222.0, 255.0]],
];

/// Names and colours of all shades: `p` for positive and `n` for negative entries.
fn shades(ramps: &Ramps) -> impl Iterator<Item = (String, String)> {
    let of =
        |sign: &'static str, ramp: [[f64; 3]; 3]| (0..SHADES).map(move |k| (format!("{sign}{k}"), shade(k, &ramp)));
    of("p", ramps[0]).chain(of("n", ramps[1]))
}

fn shade(k: usize, ramp: &[[f64; 3]; 3]) -> String {
    let at = k as f64 / (SHADES - 1) as f64 * (ramp.len() - 1) as f64;
    let i = (at as usize).min(ramp.len() - 2);
    let share = at - i as f64;
    let mix = |c: usize| (ramp[i][c] + share * (ramp[i + 1][c] - ramp[i][c])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
