/** `POST /devices/{id}/messages/document` (docs/spec/messages.md, Send a document). */
import { checkFileName } from '../../../domain/messages/file-names.ts';
import { SendDocumentSchema } from '../../schemas/messages/send.ts';
import { mediaLimit } from '../../body/body.ts';
import { operation } from '../../wire/operation.ts';
import { sentMedia } from './media-source.ts';
import { sending } from './sending.ts';

export const sendDocument = operation({
  id: 'sendDocument',
  method: 'POST',
  path: '/devices/{id}/messages/document',
  tag: 'Messages',
  summary: 'Send a file of any kind',
  description:
    'By URL up to `HANDSET_MAX_MEDIA_MB` (100 MB), or in base64 up to 10 MB. Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendDocumentSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/report.pdf', mediaCaption: 'The report' },
      byBase64: { toNumber: '4915112345678', mediaBase64: 'SGVsbG8K', fileName: 'hello.txt' },
    },
  },
  run(call) {
    const { fileName = null, mimetype = null } = call.body;
    if (fileName !== null) checkFileName(fileName);
    // A message has the type alone, without its parameters.
    const type = mimetype?.split(';', 1)[0]?.trim() ?? null;
    return sentMedia(call, 'document', call.body, { kind: 'document', fileName, mimetype: type });
  },
});
