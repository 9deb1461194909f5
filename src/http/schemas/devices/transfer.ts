/** Members of what moves a device between installations. */
import { Type } from 'typebox';

export const passphraseMember = Type.String({
  minLength: 12,
  maxLength: 1024,
  description: 'Encrypts the package; at least 12 characters',
  errorMessage: 'must be a string of 12 to 1,024 characters',
});
