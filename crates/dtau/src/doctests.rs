//! The Rust code of the README and of the book in `docs/`, run unchanged by rustdoc: one struct per page.
//!
//! `tests/pages.rs` checks that every page with Rust in it is in this list.

macro_rules! pages {
    ($($name:ident: $path:literal;)*) => {$(
        #[doc = include_str!(concat!("../../../", $path))]
        struct $name;
    )*};
}

pages! {
    Readme: "README.md";
    Scalars: "docs/scalars.md";
    Constraints: "docs/constraints.md";
}

#[cfg(feature = "batch")]
pages! {
    Batches: "docs/batches.md";
}
