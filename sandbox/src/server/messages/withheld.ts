/**
 * Messages that linked devices get without their content, as the network delivers view-once messages (`<unavailable>`) and the
 * first ones of Click-to-WhatsApp advertisements (no `<enc>`; WAHA #2267, 2026), or with a content that nobody can decrypt.
 */
import type { BinaryNode } from 'baileys';
import type { Device } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';

const garbled = (enc: BinaryNode): BinaryNode => {
  if (enc.tag !== 'enc' || !(enc.content instanceof Uint8Array)) return enc;
  const content = Uint8Array.from(enc.content);
  // In the authenticated part, also of a first message, after which come the ids of its keys.
  const at = Math.max(0, content.length - 12);
  content[at]! ^= 1;
  return { ...enc, content };
};

/** The stanza of a message as this device gets it; `how` is what its sender has asked for. */
export const withheldFrom = (device: Device, stanza: BinaryNode, how: string | undefined): BinaryNode => {
  if (how === undefined || device.id === 0 || !Array.isArray(stanza.content)) return stanza;
  if (how === 'garbled') return { ...stanza, content: stanza.content.map(garbled) };
  const rest = stanza.content.filter(({ tag }) => tag !== 'enc' && tag !== 'device-identity');
  const content = how === 'viewOnce' ? [...rest, element('unavailable', { type: 'view_once' })] : rest;
  return { ...stanza, content };
};
