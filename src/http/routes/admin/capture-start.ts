/** `POST /devices/{deviceId}/capture` (docs/internals/wire.md, Capture). */
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { captureView, CaptureSchema, StartCaptureSchema } from '../../schemas/capture.ts';

export const startCapture = operation({
  id: 'startCapture',
  method: 'POST',
  path: '/devices/{deviceId}/capture',
  tag: 'Operator',
  summary: 'Capture the shapes of the stanzas of a device',
  description:
    'Records tags, names of attributes and classes of values in both directions: no content, numbers, names, ids or keys. Starts over if a capture is under way.',
  body: { schema: StartCaptureSchema, examples: { tenMinutes: { seconds: 600 } } },
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, actor, params, body }) {
    const { id, userId } = await deviceOf(parts, params.deviceId);
    const capture = await parts.devices.captures.start(userId, id, body.seconds, actor);
    return { capture: captureView(capture), status: ok(`Capture of device ${id} started`) };
  },
});
