//! What every renderer is given, and the renderers.
