// All routes of the quality of answers.

import { answerGapRoutes } from "./answer-gaps.ts";
import { qualityFigureRoutes } from "./figures.ts";

export const qualityRoutes = [qualityFigureRoutes, answerGapRoutes];
