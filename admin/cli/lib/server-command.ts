import * as Flags from '@oclif/core/flags'
import { createRpcClient, type RpcClient } from '../../client/rpc-client.ts'
import { type Address, type AddressFlags, resolveAddress } from './address.ts'
import { BaseCommand } from './base-command.ts'
import type { Gateway } from './gateway.ts'

const profileFlags = {
  'token-file': Flags.string({
    summary: 'file with a bearer token; SLUICE_TOKEN holds one itself',
    helpValue: 'FILE',
    helpGroup: 'SERVER',
  }),
  profile: Flags.string({
    summary: 'addresses under this name in ~/.config/sluice/profiles.yaml [env: SLUICE_PROFILE]',
    helpValue: 'NAME',
    helpGroup: 'SERVER',
  }),
}

/** A command that asks the management listener. */
export abstract class RpcCommand extends BaseCommand {
  static override readonly baseFlags = {
    url: Flags.string({
      summary: 'management listener [env: SLUICE_URL; default: http://127.0.0.1:8081]',
      helpValue: 'URL',
      helpGroup: 'SERVER',
    }),
    ...profileFlags,
  }

  /** @param timeoutMs longest time for one answer */
  protected async rpc(flags: AddressFlags, timeoutMs = 30_000): Promise<RpcClient & { readonly address: Address }> {
    const address = await resolveAddress(flags, process.env)
    const { url, token } = address
    return { ...createRpcClient({ url, timeoutMs, ...(token === undefined ? {} : { token }) }), address }
  }
}

/** A command that asks collector and gateway. */
export abstract class GatewayCommand extends BaseCommand {
  static override readonly baseFlags = {
    'server-url': Flags.string({
      summary: 'collector and gateway [env: SLUICE_SERVER_URL; default: http://127.0.0.1:8080]',
      helpValue: 'URL',
      helpGroup: 'SERVER',
    }),
    ...profileFlags,
  }

  protected async gateway(flags: AddressFlags): Promise<Gateway> {
    const { serverUrl, token } = await resolveAddress(flags, process.env)
    const { createGateway } = await import('./gateway.ts')
    return createGateway({ baseUrl: serverUrl, token })
  }
}
