/** The page of the network that tells the current client revision (docs/spec/sandbox.md, Running it). */
import { isAnswered, versionPage } from '../server/transport/client-revision.ts';
import { badRequest } from '../errors.ts';
import type { Network } from './network.ts';
import { File, type Routes } from './router.ts';

export const versionPath = '/sw.js';

export const versionRoutes = ({ hub }: Network): Routes => ({
  [`GET ${versionPath}`]: ({ headers }) => {
    if (!isAnswered(headers)) {
      throw badRequest('this page answers only with the user agent of a Chrome and the header "sec-fetch-site: none"');
    }
    return new File(
      'application/javascript; charset=utf-8',
      Buffer.from(versionPage(hub.state.faults.clientRevision.current)),
    );
  },
});
