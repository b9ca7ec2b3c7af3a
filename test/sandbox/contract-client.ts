import type { Contract } from '../../src/request/contract/contract.ts';
import {
  type CreateOperation,
  DOCUMENTED_CONTRACT,
  described,
  type Parameter,
  type TokenOperation,
  type ValidateOperation,
} from '../doors/described.ts';

interface Changes {
  readonly create?: Partial<CreateOperation>;
  readonly validate?: Partial<ValidateOperation>;
  readonly token?: Partial<TokenOperation>;
  readonly basePath?: string;
  readonly hasValidate?: boolean | null;
}

/** The public document's contract, with these changes. */
export const contractWith = ({ create, validate, token, ...rest }: Changes): Contract =>
  described({
    ...DOCUMENTED_CONTRACT,
    ...rest,
    create: { ...DOCUMENTED_CONTRACT.create, ...create },
    validate: { ...DOCUMENTED_CONTRACT.validate, ...validate },
    token: { ...DOCUMENTED_CONTRACT.token, ...token },
  });

/** A required text in the body, called like its field, with these changes. */
export const parameter = (field: string, changes: Partial<Parameter> = {}): Parameter => ({
  field,
  in: 'body',
  path: [field],
  type: 'string',
  isList: false,
  required: true,
  requiredWithin: null,
  values: null,
  minLength: null,
  maxLength: null,
  minimum: null,
  maximum: null,
  pattern: null,
  constant: null,
  audioForm: null,
  ...changes,
});
