// VitePress's theme with the fonts of the system: nothing is loaded but the page.

import theme from "vitepress/theme-without-fonts";
import "./colors.css";
import "./diagrams.css";

export default theme;
