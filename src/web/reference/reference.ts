declare const SwaggerUIBundle: (settings: object) => void;

// The page is served at /docs under the base path; the API document is found relative to it.
SwaggerUIBundle({
  url: location.pathname.replace(/docs$/, "v1/openapi.json"),
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
});
