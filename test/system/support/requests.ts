/** JSON over HTTP, to the service and to the sandbox's control interface. */
import { Agent, request } from 'undici';

export class Requests {
  readonly #agent = new Agent({ connections: 512 });

  /** The text of the answer. Bytes are JSON already, made once for many requests. Throws on any status that does not say that it went well. */
  async send(
    method: 'GET' | 'POST',
    url: string,
    body: unknown,
    more: Readonly<Record<string, string>>,
  ): Promise<string> {
    const answer = await request(url, {
      dispatcher: this.#agent,
      method,
      headers: body === undefined ? more : { 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode > 299) throw new Error(`${url}: ${answer.statusCode} ${text}`);
    return text;
  }

  async ask<T>(method: 'GET' | 'POST', url: string, body?: unknown, bearer?: string): Promise<T> {
    const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    return JSON.parse(await this.send(method, url, body, headers)) as T;
  }

  post<T>(url: string, body: unknown, bearer?: string): Promise<T> {
    return this.ask<T>('POST', url, body, bearer);
  }

  async addPhones(controlUrl: string, numbers: readonly string[]): Promise<void> {
    for (const number of numbers) await this.post(`${controlUrl}/phones`, { number, name: `Phone ${number}` });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}
