/** `GET /devices/{id}/qr` (docs/spec/devices.md, QR): the QR as PNG, SVG or terminal text. */
import { Type } from 'typebox';
import { preferredType } from '../../wire/negotiate.ts';
import { operation } from '../../wire/operation.ts';
import { qrPng, qrSvg, qrText } from '../../wire/qr.ts';
import { members, oneOf } from '../../wire/build.ts';

const types = { png: 'image/png', svg: 'image/svg+xml', text: 'text/plain' } as const;
const formats = ['png', 'svg', 'text'] as const;

const formatFor = (accept: string | undefined): (typeof formats)[number] => {
  const wanted = preferredType(accept, Object.values(types));
  return formats.find((format) => types[format] === wanted) ?? 'png';
};

export const getQr = operation({
  id: 'getQr',
  method: 'GET',
  path: '/devices/{id}/qr',
  tag: 'Devices',
  summary: 'Retrieve the QR as an image or text',
  description: '`format` or the `Accept` header selects PNG (the default), SVG or text. 404 if there is no QR.',
  query: members({
    format: Type.Optional(oneOf(formats, { errorMessage: 'must be png, svg or text' })),
  }),
  otherContent: Object.values(types).map((type) => ({ type, description: 'The QR' })),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId, query, request, reply }) {
    const text = await parts.devices.qrText(caller.user.id, deviceId);
    const format = query.format ?? formatFor(request.headers.accept);
    reply.header('vary', 'accept');
    if (format === 'png') return reply.type(types.png).send(qrPng(text));
    if (format === 'text') return reply.type(`${types.text}; charset=utf-8`).send(`${qrText(text)}\n`);
    return reply
      .type(types.svg)
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(await qrSvg(text));
  },
});
