import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Paths are relative: the page lies below a token that nobody knows beforehand. Names hold no hash, so that
// what is committed changes only where its content does.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    rollupOptions: {
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
