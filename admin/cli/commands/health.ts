import { CliError } from '../lib/failure.ts'
import { type Health, readHealth } from '../lib/health.ts'
import { GatewayCommand } from '../lib/server-command.ts'
import { marks } from '../lib/style.ts'
import { toSafeText, wrap } from '../lib/text-width.ts'

export class HealthCommand extends GatewayCommand {
  static override readonly summary = 'How the parts of the server are.'
  static override readonly description =
    'Exit code 1 when events are refused (a part is in ERROR); 3 when nothing answers.'
  static override readonly examples = [
    'sluice health',
    'sluice health --server-url https://sluice.example',
    'sluice health --json',
  ]

  async run(): Promise<Health> {
    const { flags } = await this.parse(HealthCommand)
    const health = await readHealth(await this.gateway(flags))
    const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
    for (const { type, code, message } of health.items) {
      const mark = code === 'OK' ? marks.ok() : code === 'WARN' ? marks.warn() : marks.bad()
      this.log(`${mark} ${type.replace(/HealthCheck$/, '')}: ${code}`)
      for (const line of wrap(toSafeText(message.replace(/\s+/g, ' ')), width - 4)) this.log(`    ${line}`)
    }
    if (health.status === 'ERROR' && this.jsonEnabled()) process.exitCode = 1
    else if (health.status === 'ERROR') throw new CliError('Events are refused', { code: 'unhealthy' })
    return health
  }
}
