/** Reads a message that a phone sends as it is: bytes, or the fields of the protobuf as JSON. */
import { proto } from 'baileys';
import type { RawMessage } from '../phones/sending/raw.ts';
import { badRequest } from '../base/errors.ts';
import { isObject } from '../base/fields.ts';
import type { MessageBody } from './message-fields.ts';

/** Path of the first field that the protobuf does not know or cannot take; null if it takes them all. */
const lostIn = (given: unknown, taken: unknown, path: string): string | null => {
  if (!isObject(given) || !isObject(taken)) return null;
  for (const [name, value] of Object.entries(given)) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (value === null) continue;
    if (!Object.hasOwn(taken, name)) return inner;
    const [given_, taken_] = Array.isArray(value) ? [value[0], [taken[name]].flat()[0]] : [value, taken[name]];
    const lost = lostIn(given_, taken_, inner);
    if (lost !== null) return lost;
  }
  return null;
};

const encoded = (fields: object): Uint8Array => {
  let message: proto.Message;
  try {
    message = proto.Message.fromObject({ ...fields });
  } catch (error) {
    throw badRequest(`message: ${error instanceof Error ? error.message : String(error)}`);
  }
  const lost = lostIn(fields, message, '');
  if (lost !== null) throw badRequest(`message.${lost} is no field of the protobuf, or its value does not fit`);
  return proto.Message.encode(message).finish();
};

/** Null where the body has its content in other members. */
export const rawMessageOf = (body: MessageBody): RawMessage | null => {
  const { to: _to, protobuf, message, stanza, ...others } = body;
  if (protobuf === null && message === null) {
    if (stanza !== null) throw badRequest('stanza goes with protobuf or message only');
    return null;
  }
  const [more] = Object.entries(others).filter(([, value]) => value !== null);
  if (protobuf !== null && message !== null) throw badRequest('protobuf and message exclude each other');
  if (more !== undefined) throw badRequest(`${more[0]} does not go with a raw message: put it into the protobuf`);
  return { bytes: protobuf ?? encoded(message ?? {}), stanza: stanza ?? {} };
};
