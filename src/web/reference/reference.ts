declare const SwaggerUIBundle: (settings: object) => void;

// The page stands at /docs and under the base path: what it asks for stands beside it.
SwaggerUIBundle({
  url: location.pathname.replace(/docs$/, "v1/openapi.json"),
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
});
