#!/bin/sh
# RUSTC_WORKSPACE_WRAPPER that compiles our crates as on other architectures. Dependencies are compiled normally.
exec "$@" --cfg dtau_portable
