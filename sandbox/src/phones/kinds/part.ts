/** Readers of one kind of content. */
import type { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { Shown } from '../context/view.ts';
import type { MessageKind } from './types.ts';

export interface Part {
  readonly type: MessageKind;
  readonly members: Partial<Omit<Shown, 'type' | 'quotedId'>>;
  readonly context?: proto.IContextInfo | null | undefined;
}

export type PartReader = (content: Message) => Part | null;

export const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** Converts seconds since the epoch to ISO 8601; null if there are none. */
export const timeOf = (value: number | { toString(): string } | null | undefined): string | null => {
  const date = new Date(Number(value ?? 0) * 1000);
  return !value || Number(value) === 0 || Number.isNaN(date.getTime()) ? null : date.toISOString();
};
