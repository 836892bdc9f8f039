import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/{vectors,property,tidy,golden,docs,cli,bench}/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: { name: "model", include: ["test/model/**/*.test.ts"], testTimeout: 600_000 },
      },
    ],
  },
});
