import type { QuotaSettings } from '../../../../src/collector/quota/quota-settings.ts'

/** Few events, and what the settings are otherwise. */
export const usualQuota: QuotaSettings = {
  eventsPerSecond: 5,
  bytesPerSecond: undefined,
  burstSeconds: 10,
  by: 'token',
  ipv4Prefix: 32,
  ipv6Prefix: 64,
}
