/** Common to the commands that send: the call, and what is printed of it. */
import { type Arguments, type Context, deviceId, positional, textOption } from '../../command/command.ts';
import { recipientOf } from '../../command/recipient.ts';
import { idempotencyHeader } from '../../client/client.ts';

/** Posts a message below those of the device, and tells its id. */
export const post = async (
  { client, out }: Context,
  given: Arguments,
  path: string,
  body: Readonly<Record<string, unknown>>,
  work = 'Sending',
): Promise<void> => {
  const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
  using _ = out.progress(work);
  const whole = `/devices/${deviceId(given)}/messages/${path}`;
  const sent = await client().call<{ messageId: string }>('POST', whole, body, headers);
  out.line(`Sent: ${sent.messageId}`);
  out.value(sent);
};

/** Sends to the second positional. */
export const send = (
  context: Context,
  given: Arguments,
  kind: string,
  content: Readonly<Record<string, unknown>>,
  work?: string,
): Promise<void> => post(context, given, kind, { ...recipientOf(positional(given, 1)), ...content }, work);

/** Changes the message of the second positional. */
export const change = async (
  { client, out }: Context,
  given: Arguments,
  method: 'PUT' | 'DELETE',
  what: string,
  body?: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const path = `/devices/${deviceId(given)}/messages/${encodeURIComponent(positional(given, 1))}${what}`;
  const headers = idempotencyHeader(textOption(given, 'idempotency-key'));
  using _ = out.progress('Sending');
  const answer = await client().call<{ status: { message: string } }>(method, path, body, headers);
  out.line(answer.status.message);
  out.value(answer);
};
