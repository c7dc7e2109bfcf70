import type { Command } from '../command.ts'

/** Version of the protocol that is spoken. */
const protocol = '8.0'

/** Who answers, and in which version of the protocol. */
export const version: Command = (_, { product }) => ({
  agent: product.version,
  protocol,
  config: { agentType: 'sluice', canonicalNaming: 'true', includeStackTrace: 'false', maxDepth: '0' },
  info: { product: 'sluice', vendor: product.vendor, version: product.version },
})
