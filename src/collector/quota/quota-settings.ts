/** `collector.quota.*`: what one sender may send. */
export type QuotaSettings = {
  /** Undefined where events are not limited. */
  readonly eventsPerSecond: number | undefined
  /** The same of bytes. */
  readonly bytesPerSecond: number | undefined
  /** A sender that was silent may send this many seconds' worth at once. */
  readonly burstSeconds: number
  /** What counts as one sender: who shows the same token, or all of a block of addresses. */
  readonly by: QuotaBy
  /** Bits of an address that name its block. */
  readonly ipv4Prefix: number
  readonly ipv6Prefix: number
}

/** What identifies a sender. */
export type QuotaBy = 'token' | 'address'

/** The settings of a server that {@link QuotaSettings} are made of, by their keys. */
export type SettingsOfQuota = {
  readonly 'collector.quota.events-per-second': number | undefined
  readonly 'collector.quota.bytes-per-second': number | undefined
  readonly 'collector.quota.burst-seconds': number
  readonly 'collector.quota.by': QuotaBy
  readonly 'collector.quota.ipv4-prefix': number
  readonly 'collector.quota.ipv6-prefix': number
}

/** Undefined where senders are not limited. */
export const toQuotaSettings = (settings: SettingsOfQuota): QuotaSettings | undefined => {
  const eventsPerSecond = settings['collector.quota.events-per-second']
  const bytesPerSecond = settings['collector.quota.bytes-per-second']
  if (eventsPerSecond === undefined && bytesPerSecond === undefined) return undefined
  return {
    eventsPerSecond,
    bytesPerSecond,
    burstSeconds: settings['collector.quota.burst-seconds'],
    by: settings['collector.quota.by'],
    ipv4Prefix: settings['collector.quota.ipv4-prefix'],
    ipv6Prefix: settings['collector.quota.ipv6-prefix'],
  }
}
