/**
 * Schemas of what Chatwoot takes: transcribed on 2026-11-23 from the public repository chatwoot/chatwoot (version 4.14), in these
 * files. A request that does not fit is a bug of the bridge.
 *
 * | operation | file of Chatwoot |
 * |---|---|
 * | contacts | swagger/definitions/request/contact/{create,update}_payload.yml (256bcd9, 470d51c), app/models/contact.rb |
 * | conversations | swagger/definitions/request/conversation/create_payload.yml (00b1849) |
 * | messages | swagger/definitions/request/conversation/create_message_payload.yml (1448475), swagger/paths/application/conversation/messages/{create_attachment,update,index}.yml (0193afb), app/builders/messages/message_builder.rb, which also takes `source_id` and, in forms, `content_attributes` as JSON |
 * | states | app/services/messages/status_update_service.rb (01b3689) |
 * | retries of agents | app/controllers/api/v1/accounts/conversations/messages_controller.rb (021d33f) |
 * | webhooks | app/listeners/webhook_listener.rb, app/models/message.rb (`webhook_data`), app/presenters/conversations/event_data_presenter.rb (01ff579), app/models/attachment.rb (00be7cd), app/models/user.rb (01997e5) |
 * | signatures | lib/webhooks/trigger.rb, of pull requests 13573 and 13892 (4.13) |
 */
import { Ajv } from 'ajv';

const text = { type: 'string' };
const object = { type: 'object' };

const contact = {
  name: text,
  email: text,
  blocked: { type: 'boolean' },
  phone_number: { type: 'string', pattern: '^\\+[1-9]\\d{1,14}$' },
  avatar_url: text,
  identifier: text,
  additional_attributes: object,
  custom_attributes: object,
};

const closed = (properties: object, required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const message = {
  content: text,
  message_type: { enum: ['outgoing', 'incoming'] },
  private: { type: 'boolean' },
  content_type: { enum: ['text', 'input_email', 'cards', 'input_select', 'form', 'article'] },
  content_attributes: closed({ in_reply_to: { type: 'integer' } }, []),
  source_id: text,
  echo_id: text,
};

/** Bodies by method and path below the account, with `{}` for numbers. */
const bodies: Readonly<Record<string, object>> = {
  'POST /contacts': closed({ inbox_id: { type: 'number' }, ...contact }, ['inbox_id']),
  'PUT /contacts/{}': closed(contact, []),
  'POST /conversations': closed(
    {
      source_id: text,
      inbox_id: { type: 'integer' },
      contact_id: { type: 'integer' },
      additional_attributes: object,
      custom_attributes: object,
      status: { enum: ['open', 'resolved', 'pending'] },
      assignee_id: { type: 'integer' },
      team_id: { type: 'integer' },
    },
    ['source_id'],
  ),
  'POST /conversations/{}/messages': closed(message, ['content']),
  'PATCH /conversations/{}/messages/{}': closed(
    { status: { enum: ['sent', 'delivered', 'read', 'failed'] }, external_error: text },
    ['status'],
  ),
};

const queries: Readonly<Record<string, object>> = {
  'GET /contacts/search': closed({ q: { type: 'string', minLength: 1 } }, ['q']),
  'GET /contacts/{}/conversations': closed({}, []),
  'GET /conversations/{}/messages': closed({ before: { type: 'string', pattern: '^\\d+$' } }, []),
  'DELETE /conversations/{}/messages/{}': closed({}, []),
};

const ajv = new Ajv({ allErrors: true });
const compiled = (all: Readonly<Record<string, object>>) =>
  new Map(Object.entries(all).map(([name, schema]) => [name, ajv.compile(schema)]));
const checks = { body: compiled(bodies), query: compiled(queries) };

/** The operation of a path below the account. */
export const operationOf = (method: string, path: string): string => `${method} ${path.replaceAll(/\/\d+/g, '/{}')}`;

/** Null where the request fits; otherwise what is wrong with it. */
export const breachOf = (operation: string, given: unknown): string | null => {
  const check = checks.body.get(operation) ?? checks.query.get(operation);
  if (check === undefined) return `${operation} is not in the contract`;
  return check(given) ? null : `${operation}: ${ajv.errorsText(check.errors)}`;
};
