import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Core is the same on every machine, at every time: nothing that knows a clock, chance, a locale or the collector. */
const IMPURE_GLOBALS = [
  "Date",
  "Intl",
  "WeakRef",
  "FinalizationRegistry",
  "Atomics",
  "SharedArrayBuffer",
  "Promise",
];
const LOCALE_METHODS = ["localeCompare", "toLocaleString", "toLocaleLowerCase", "toLocaleUpperCase"];

const NO_DEFAULT_EXPORT = {
  selector: "ExportDefaultDeclaration",
  message: "A name that is given where it is defined can be searched for.",
};

export default defineConfig(
  globalIgnores(["dist/", "coverage/", ".bench/", ".artifacts/"]),
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-restricted-syntax": ["error", NO_DEFAULT_EXPORT],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      "object-shorthand": "error",
      "no-param-reassign": "error",
      "no-else-return": "error",
      "no-lonely-if": "error",
      "no-constant-condition": "error",
      "no-unreachable": "error",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-unmodified-loop-condition": "error",
      "no-promise-executor-return": ["error", { allowVoid: true }],
      "no-eval": "error",
      "no-new-func": "error",
    },
  },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-unused-vars": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // An absent flag is read as `flag === true`, and its opposite the same way.
      "@typescript-eslint/no-unnecessary-boolean-literal-compare": "off",
      // It wants `!`, which the strict rules forbid.
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      // Mapped types need `type`; elsewhere either reads well.
      "@typescript-eslint/consistent-type-definitions": "off",
    },
  },
  {
    files: ["src/core/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: {
      "no-restricted-globals": ["error", ...IMPURE_GLOBALS],
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: "Chance comes in with an event." },
        ...LOCALE_METHODS.map((property) => ({
          property,
          message: "Its result depends on the machine's locale.",
        })),
      ],
      "no-restricted-syntax": [
        "error",
        NO_DEFAULT_EXPORT,
        {
          selector: ":function[async=true]",
          message: "Core waits for nothing; it says what it wants as an effect.",
        },
      ],
    },
  },
  {
    files: ["test/**/*.ts", "**/*.test.ts"],
    rules: {
      // Messages of failed checks show lists as they are.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowArray: true }],
    },
  },
  {
    files: ["*.config.{js,ts}"],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { "no-restricted-syntax": "off" },
  },
);
