/** `GET /devices/{deviceId}/capture` (docs/internals/wire.md, Capture). */
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { captureView, CaptureSchema } from '../../schemas/capture.ts';

export const getCapture = operation({
  id: 'getCapture',
  method: 'GET',
  path: '/devices/{deviceId}/capture',
  tag: 'Operator',
  summary: 'Retrieve the capture of a device',
  description:
    'What was captured so far. A capture is lost when the service restarts or the device moves to another node.',
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, params }) {
    const { id } = await deviceOf(parts, params.deviceId);
    const capture = parts.devices.captures.read(id);
    return { capture: captureView(capture), status: ok(`Capture of device ${id} retrieved`) };
  },
});
