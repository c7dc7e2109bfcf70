import { type Contract, toContract } from './contract.ts'
import document from './openapi.gen.json' with { type: 'json' }
import adminDocument from './openapi-admin.gen.json' with { type: 'json' }

let contract: Contract | undefined
let adminContract: Contract | undefined

/** The contract of `openapi.yaml`. It is made once: that takes a hundred times what a request does. */
export const loadContract = (): Contract => {
  contract ??= toContract(document)
  return contract
}

/** That of some tags alone: where no other operations are answered it is not worth the time to make all of them. */
export const loadPart = (tags: readonly string[]): Contract => toContract(document, tags)

/** That of `openapi-admin.yaml`, of the management listener. It is served; nothing is bound by it. */
export const loadAdminContract = (): Contract => {
  adminContract ??= toContract(adminDocument)
  return adminContract
}
