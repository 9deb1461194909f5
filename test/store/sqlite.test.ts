/** The contract of the store on SQLite. */
import { openTestStore } from '../support/store.ts';
import { storeContract } from './contract/contract.ts';

storeContract((clock) => openTestStore({ clock }));
