// The schemas of regions of pages, which passages and citations share.
import { Type } from '../../../schema/type.ts';

export const RECTANGLE = {
  x: Type.Number(),
  y: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
};

export const Regions = Type.Array(
  Type.Object(
    { page: Type.Integer({ minimum: 1 }), ...RECTANGLE },
    { title: 'PageRegion', examples: [{ page: 2, x: 60, y: 54.2, width: 142.1, height: 11 }] },
  ),
  {
    description:
      'The rectangles that the passage covers, in reading order, at most one for each line of text: in points (1/72 inch) from the upper left corner of the page as it is shown. Of PDF files with a text layer; empty for others.',
    examples: [[{ page: 2, x: 60, y: 54.2, width: 142.1, height: 11 }]],
  },
);
