/** Captures of a device's stanzas (docs/internals/wire.md, Capture). */
import { Type } from 'typebox';
import type { Capture } from '../../domain/network.ts';
import { members, timestamp } from '../wire/build.ts';

export const CaptureSchema = Type.Object(
  {
    startedAt: timestamp('When it began'),
    endsAt: timestamp('When it ends'),
    shapes: Type.Array(
      Type.Object({
        shape: Type.String({ description: 'A node or an attribute of stanzas, without its value' }),
        count: Type.Integer({ description: 'Stanzas that had it' }),
      }),
      { description: 'What was seen so far, without content, numbers, names, ids and keys' },
    ),
  },
  { title: 'Capture' },
);

export const StartCaptureSchema = members(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'How long to capture: at most a day',
      errorMessage: 'must be a whole number from 1 to 86400',
    }),
  },
  { title: 'StartCapture' },
);

export const captureView = ({ startedAt, endsAt, shapes }: Capture) => ({
  startedAt: new Date(startedAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
  shapes: shapes.map((each) => ({ ...each })),
});
