/** Sign-in of the dashboard: exchanges a key for an HttpOnly cookie (docs/spec/http-interface.md, Authentication). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSignIn } from '../service/users/authentication.ts';
import type { Admission } from './admission/admission.ts';
import { signInCookie } from './admission/sign-in.ts';
import { refuseOtherMethods } from './mount.ts';
import { unauthorized } from './wire/errors.ts';
import type { Services } from './wire/services.ts';

const dayMs = 86_400_000;
/** With "Stay signed in", and without: then it is a session cookie. */
const lifeMs = { stay: 30 * dayMs, leave: dayMs } as const;

const setCookie = (
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  maxAge: number | null,
) =>
  reply.header(
    'set-cookie',
    [
      `${signInCookie(request, services.options.publicUrl)}=${token}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
      ...(isSecure(services, request) ? ['Secure'] : []),
      ...(maxAge === null ? [] : [`Max-Age=${maxAge}`]),
    ].join('; '),
  );

const isSecure = ({ options }: Services, { protocol }: FastifyRequest): boolean =>
  protocol === 'https' || options.publicUrl?.startsWith('https:') === true;

export const mountSignIn = (app: FastifyInstance, services: Services, admission: Admission): void => {
  app.post<{ Querystring: { readonly stay?: string } }>('/session', async (request, reply) => {
    const { key, secret } = await admission.known(request, reply);
    // A sign-in cannot prolong itself.
    if (key === null || isSignIn(secret)) throw unauthorized();
    const stay = request.query.stay === 'true';
    const { token, expiresAt } = await services.users.signIn(key, lifeMs[stay ? 'stay' : 'leave']);
    setCookie(services, request, reply, token, stay ? lifeMs.stay / 1000 : null);
    const session = { keyId: key.id, expiresAt: new Date(expiresAt).toISOString() };
    return { session, status: { code: 200, message: 'Signed in' } };
  });
  app.delete('/session', async (request, reply) => {
    const { secret } = await admission.known(request, reply);
    if (isSignIn(secret)) await services.users.signOut(secret);
    setCookie(services, request, reply, '', 0);
    return { status: { code: 200, message: 'Signed out' } };
  });
  refuseOtherMethods(app, '/session', ['POST', 'DELETE']);
};
