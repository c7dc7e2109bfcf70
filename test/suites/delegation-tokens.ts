import {
  type DelegationTokens,
  type DelegationTokensOptions,
  openDelegationTokens,
} from '../../src/delegation/delegation-tokens.ts'
import { encodeDelegationTokenIdentifier } from '../../src/formats/delegation-token-identifier.ts'
import { encodeHadoopToken } from '../../src/formats/hadoop-token.ts'
import { silentLogger } from '../../src/log/log.ts'
import { createTearingDisk } from './tearing-disk.ts'

/** Delegation tokens that are kept in memory. */
export const openTestTokens = (options: Partial<DelegationTokensOptions> = {}): Promise<DelegationTokens> =>
  openDelegationTokens({ disk: createTearingDisk(), logger: silentLogger, ...options })

/** What looks like a delegation token of this server, with a password of 32 bytes, and was not issued. */
export const forgeToken = (password: Uint8Array): string =>
  encodeHadoopToken({
    identifier: encodeDelegationTokenIdentifier({
      owner: 'ann@REALM',
      renewer: 'yarn',
      realUser: '',
      issueDate: 1,
      maxDate: 2,
      sequenceNumber: 3,
      masterKeyId: 4,
    }),
    password,
    kind: 'WEBHDFS delegation',
    service: '',
  })
