import {
  type DelegationTokens,
  type DelegationTokensOptions,
  openDelegationTokens,
} from '../../src/delegation/delegation-tokens.ts'
import { silentLogger } from '../../src/log/log.ts'
import { createTearingDisk } from './tearing-disk.ts'

/** Delegation tokens that are kept in memory. */
export const openTestTokens = (options: Partial<DelegationTokensOptions> = {}): Promise<DelegationTokens> =>
  openDelegationTokens({ disk: createTearingDisk(), logger: silentLogger, ...options })
