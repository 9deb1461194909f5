/** `POST /devices/{id}/files` (docs/spec/messages.md, Uploads). */
import { ok } from '../wire/build.ts';
import { UploadedSchema } from '../schemas/messages/send.ts';
import { fileIn } from '../body/file-body.ts';
import { operation } from '../wire/operation.ts';

export const uploadFile = operation({
  id: 'uploadFile',
  method: 'POST',
  path: '/devices/{id}/files',
  tag: 'Messages',
  summary: 'Upload a file to send',
  description:
    'The body is the file, or a form (multipart/form-data) with one file, up to `HANDSET_MAX_MEDIA_MB` (100 MB). It may take as long as it comes with 32 kB a second. The id in the answer is the `fileId` of any number of sends by this device, for an hour.',
  takesFile: true,
  answer: UploadedSchema,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500, 503],
  async run({ parts, scope, request }) {
    const { uploads } = parts;
    const { 'content-type': type = '', 'content-length': length = 0 } = request.headers;
    // A form is longer than its file.
    const announced = /^multipart\//i.test(type) ? 0 : Number(length);
    const upload = { userId: scope.userId, deviceId: scope.id, deadline: request.deadline!, announced };
    const { id, bytes, mimetype, expiresAt } = await uploads.add(upload, () =>
      fileIn(request, parts.clock, uploads.maxBytes),
    );
    return {
      file: { id, bytes, mimetype, expiresAt: new Date(expiresAt).toISOString() },
      status: ok('File uploaded'),
    };
  },
});
