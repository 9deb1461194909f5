/** `DELETE /devices/{deviceId}/capture` (docs/internals/wire.md, Capture). */
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { captureView, CaptureSchema } from '../../schemas/capture.ts';

export const stopCapture = operation({
  id: 'stopCapture',
  method: 'DELETE',
  path: '/devices/{deviceId}/capture',
  tag: 'Operator',
  summary: 'End the capture of a device',
  description: 'Answers what was captured, and forgets it.',
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, params }) {
    const { id } = await deviceOf(parts, params.deviceId);
    const capture = parts.devices.captures.stop(id);
    return { capture: captureView(capture), status: ok(`Capture of device ${id} ended`) };
  },
});
