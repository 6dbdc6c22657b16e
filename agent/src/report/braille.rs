//! A canvas of braille characters: 2 × 4 dots in every cell.

/// The bits of a cell's dots, by column and then by row from the top (Unicode block U+2800).
const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// From one dot of a sparse line to the next.
const SPARSE: usize = 3;

/// Cells of dots, each in one shade.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    cells: Vec<Cell>,
}

/// One character.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) shade: usize,
    dots: u8,
}

impl Cell {
    /// The character, a blank where nothing is drawn.
    pub(super) fn character(self) -> char {
        if self.dots == 0 { ' ' } else { char::from_u32(0x2800 + u32::from(self.dots)).unwrap_or(' ') }
    }
}

impl Canvas {
    /// An empty canvas, measured in characters.
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, cells: vec![Cell::default(); width * height] }
    }

    /// The cells of a row, counted from the top.
    pub(super) fn row(&self, row: usize) -> &[Cell] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// Draws points of the unit square, in the columns from `left` on, as a line.
    ///
    /// What is drawn later covers what has another shade, cell by cell: a terminal's character has one colour.
    /// A `sparse` line is one of dots that stand apart.
    pub(super) fn draw(&mut self, left: usize, width: usize, points: &[(f64, f64)], shade: usize, sparse: bool) {
        let (across, up) = (width * 2 - 1, self.height * 4);
        // A value on a tick takes the dot below the tick, the row of the axis itself being no part of the canvas.
        let dot = |&(x, y): &(f64, f64)| {
            let row = (y * up as f64).round() as usize;
            (left * 2 + (x * across as f64).round() as usize, row.saturating_sub(1))
        };
        let dots: Vec<(usize, usize)> = points.iter().map(dot).collect();
        if let [(x, y)] = dots[..] {
            self.set(x, y, shade);
        }
        for pair in dots.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let steps = x0.abs_diff(x1).max(y0.abs_diff(y1)).max(1);
            let between = |a: usize, b: usize, i: usize| (a * (steps - i) + b * i + steps / 2) / steps;
            for i in 0..=steps {
                let (x, y) = (between(x0, x1, i), between(y0, y1, i));
                if !sparse || (x + y) % SPARSE == 0 {
                    self.set(x, y, shade);
                }
            }
        }
    }

    fn set(&mut self, x: usize, y: usize, shade: usize) {
        let cell = &mut self.cells[(self.height - 1 - y / 4) * self.width + x / 2];
        if cell.shade != shade {
            *cell = Cell { shade, dots: 0 };
        }
        cell.dots |= BITS[x % 2][3 - y % 4];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(canvas: &Canvas) -> Vec<String> {
        (0..canvas.height).map(|row| canvas.row(row).iter().map(|cell| cell.character()).collect()).collect()
    }

    #[test]
    fn a_rising_line() {
        let mut canvas = Canvas::new(2, 1);
        canvas.draw(0, 2, &[(0.0, 0.0), (1.0, 1.0)], 0, false);
        assert_eq!(picture(&canvas), ["⡠⠊"]);
    }

    #[test]
    fn a_newer_line_covers_an_older_one() {
        let mut canvas = Canvas::new(2, 1);
        canvas.draw(0, 2, &[(0.0, 1.0), (1.0, 1.0)], 1, false);
        canvas.draw(1, 1, &[(0.0, 0.0), (1.0, 0.0)], 0, false);
        assert_eq!(picture(&canvas), ["⠉⣀"]);
    }

    #[test]
    fn one_point_is_one_dot() {
        let mut canvas = Canvas::new(2, 1);
        canvas.draw(1, 1, &[(0.5, 0.5)], 0, true);
        assert_eq!(picture(&canvas), [" ⠠"]);
    }
}
