import { type AdminOptions, createAdmin } from '../../admin/admin.ts'
import { createAudit } from '../../admin/audit.ts'
import { createRegistry, type Registry } from '../../src/beans/registry.ts'
import { createAuth } from '../../src/http/auth/auth.ts'
import { silentLogger } from '../../src/log/log.ts'

/** A management listener in memory, with beans of a test's own. */
export type TestAdmin = {
  readonly registry: Registry
  readonly fetch: ReturnType<typeof createAdmin>
}

/** Makes one without authentication. */
export const createTestAdmin = async (options: Partial<AdminOptions> = {}): Promise<TestAdmin> => {
  const registry = createRegistry()
  const fetch = createAdmin({
    registry,
    audit: createAudit(() => {}),
    metrics: [],
    product: { version: '0', node: '0', vendor: 'v', startedAt: 0 },
    auth: await createAuth({ path: undefined, logger: silentLogger }),
    source: () => ({ allowedHosts: ['localhost'], allowedOrigins: [] }),
    logger: silentLogger,
    fallback: () => new Response(null, { status: 404 }),
    ...options,
  })
  return { registry, fetch }
}
