import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/hdfs.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The native runner: tests and the processes they start then see the same source text, so coverage adds up.
    experimental: { viteModuleRunner: false },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      autoAttachSubprocess: true,
    },
  },
})
