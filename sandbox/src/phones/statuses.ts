/** Statuses on a phone: post, delete, view and like, and choose the audience. */
import type { Account } from '../base/types.ts';
import { compose, withSecret, type Writing } from './sending/compose.ts';
import { assertOnline } from './sending/deliver.ts';
import type { PhoneContext } from './context/context.ts';
import type { ViewStatus } from './context/statuses.ts';
import { likeStatus, postStatus, revokeStatus, viewStatus } from './sending/statuses.ts';

/** Colour as `#rrggbb`, and the number of a font. */
export interface TextStyle {
  readonly background: string | null;
  readonly font: number | null;
}

export class PhoneStatuses {
  readonly #phone: PhoneContext;

  constructor(phone: PhoneContext) {
    this.#phone = phone;
  }

  get all(): readonly ViewStatus[] {
    return [...this.#phone.statuses.entries()].map(([, status]) => status);
  }

  async post(writing: Writing, { background, font }: TextStyle, audience: readonly Account[]): Promise<string> {
    assertOnline(this.#phone);
    if (writing.kind !== 'text') {
      const message = await compose(writing, this.#phone.media, {});
      return postStatus(this.#phone, { message: withSecret(message), audience });
    }
    const backgroundArgb = background === null ? null : Number.parseInt(`ff${background.slice(1)}`, 16);
    const message = withSecret({ extendedTextMessage: { text: writing.text, backgroundArgb, font } });
    return postStatus(this.#phone, { message, audience });
  }

  async revoke(id: string): Promise<void> {
    assertOnline(this.#phone);
    await revokeStatus(this.#phone, id);
  }

  view(id: string): void {
    assertOnline(this.#phone);
    viewStatus(this.#phone, id);
  }

  /** An empty emoji removes the like. */
  async like(id: string, emoji: string): Promise<void> {
    assertOnline(this.#phone);
    await likeStatus(this.#phone, id, emoji);
  }
}
