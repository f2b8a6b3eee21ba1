// SPDX-License-Identifier: Apache-2.0

// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part1 = #"""
        {"openapi":"3.1.0","info":{"title":"opencode","version":"1.18.33"},"paths":{"/pty/{ptyID}":{"delete":{"tags":[\#
        "pty"],"operationId":"pty.remove","parameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern\#
        ":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"s\#
        tring"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"resp\#
        onses":{"200":{"description":"Session removed","content":{"application/json":{"schema":{"type":"boolean"}}}},"\#
        400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadReq\#
        uestError"}}}},"404":{"description":"PtyNotFoundError","content":{"application/json":{"schema":{"anyOf":[{"$re\#
        f":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}}},"403":{"descrip\#
        tion":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProje\#
        ct"}}}}},"description":"Remove and terminate a specific pseudo-terminal (PTY) session.","summary":"Remove PTY \#
        session"},"get":{"tags":["pty"],"operationId":"pty.get","parameters":[{"name":"ptyID","in":"path","schema":{"t\#
        ype":"string","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"quer\#
        y","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"r\#
        equired":false}],"responses":{"200":{"description":"Session info","content":{"application/json":{"schema":{"$r\#
        ef":"#/components/schemas/Pty"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"PtyNotFoundError","content":{"applica\#
        tion/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/\#
        NotFoundError"}]}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref\#
        ":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve detailed information about a specific pse\#
        udo-terminal (PTY) session.","summary":"Get PTY session"},"put":{"tags":["pty"],"operationId":"pty.update","pa\#
        rameters":[{"name":"ptyID","in":"path","schema":{"type":"string","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":1\#
        28},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"wo\#
        rkspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Updated\#
         session","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pty"}}}},"400":{"description":\#
        "BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/sch\#
        emas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/component\#
        s/schemas/BadRequestError"}]}}}},"404":{"description":"PtyNotFoundError","content":{"application/json":{"schem\#
        a":{"anyOf":[{"$ref":"#/components/schemas/PtyNotFoundError"},{"$ref":"#/components/schemas/NotFoundError"}]}}\#
        }},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/sc\#
        hemas/OutsideProject"}}}}},"description":"Update properties of an existing pseudo-terminal (PTY) session.","su\#
        mmary":"Update PTY session","requestBody":{"content":{"application/json":{"schema":{"type":"object","propertie\#
        s":{"title":{"type":"string"},"size":{"type":"object","properties":{"rows":{"type":"integer","exclusiveMinimum\#
        ":0},"cols":{"type":"integer","exclusiveMinimum":0}},"required":["rows","cols"],"additionalProperties":false}}\#
        }}}}}},"/session/{sessionID}":{"delete":{"tags":["session"],"operationId":"session.delete","parameters":[{"nam\#
        e":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"require\#
        d":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in\#
        ":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Successfully delete\#
        d session","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | In\#
        validRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_Http\#
        ApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadReq\#
        uestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/compo\#
        nents/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Delete a session and permanently remov\#
        e all associated data, including messages and history.","summary":"Delete session"},"get":{"tags":["session"],\#
        "operationId":"session.get","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":\#
        "^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"str\#
        ing"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respon\#
        ses":{"200":{"description":"Get session","content":{"application/json":{"schema":{"$ref":"#/components/schemas\#
        /Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":\#
        {"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/Invalid\#
        RequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","cont\#
        ent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outs\#
        ide the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"d\#
        escription":"Retrieve detailed information about a specific OpenCode session.","summary":"Get session"},"patch\#
        ":{"tags":["session"],"operationId":"session.update","parameters":[{"name":"sessionID","in":"path","schema":{"\#
        type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"que\#
        ry","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"\#
        required":false}],"responses":{"200":{"description":"Successfully updated session","content":{"application/jso\#
        n":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError\#
        ","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadReque\#
        st"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},\#
        "404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Not\#
        FoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/OutsideProject"}}}},"501":{"description":"OpenCode 2 has nothing for it","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"Update properties of an \#
        existing session, such as title or other metadata.","summary":"Update session","requestBody":{"content":{"appl\#
        ication/json":{"schema":{"type":"object","properties":{"title":{"type":"string"},"metadata":{"type":"object"},\#
        "permission":{"$ref":"#/components/schemas/PermissionRuleset"},"time":{"type":"object","properties":{"archived\#
        ":{"type":"number"}},"additionalProperties":false}}}}}}}},"/agent":{"get":{"tags":["instance"],"operationId":"\#
        app.agents","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name\#
        ":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Li\#
        st of agents","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Ag\#
        ent"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/sch\#
        emas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json"\#
        :{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all available AI ag\#
        ents in the OpenCode system.","summary":"List agents"}},"/command":{"get":{"tags":["instance"],"operationId":"\#
        command.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"na\#
        me":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"\#
        List of commands","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schema\#
        s/Command"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application\#
        /json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all available\#
         commands in the OpenCode system.","summary":"List commands"}},"/config":{"get":{"tags":["config"],"operationI\#
        d":"config.get","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"\#
        name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description"\#
        :"Get config info","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Config"}}}},"400":{"d\#
        escription":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestErro\#
        r"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\#
        NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":\#
        "#/components/schemas/OutsideProject"}}}}},"description":"Retrieve the current OpenCode configuration settings\#
         and preferences.","summary":"Get configuration"}},"/config/providers":{"get":{"tags":["config"],"operationId"\#
        :"config.providers","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false\#
        },{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"descript\#
        ion":"List of providers","content":{"application/json":{"schema":{"type":"object","properties":{"providers":{"\#
        type":"array","items":{"$ref":"#/components/schemas/Provider"}},"default":{"type":"object","additionalProperti\#
        es":{"type":"string"}}},"required":["providers","default"],"additionalProperties":false}}}},"400":{"descriptio\#
        n":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"4\#
        04":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundE\#
        rror"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/compon\#
        ents/schemas/OutsideProject"}}}}},"description":"Get a list of all configured AI providers and their default m\#
        odels.","summary":"List config providers"}},"/event":{"get":{"tags":["event"],"operationId":"event.subscribe",\#
        "parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace\#
        ","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Event stream",\#
        "content":{"text/event-stream":{"schema":{"$ref":"#/components/schemas/Event"}}}},"404":{"description":"Not fo\#
        und","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descript\#
        ion":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProjec\#
        t"}}}}},"description":"Get events","summary":"Subscribe to events"}},"/experimental/capabilities":{"get":{"tag\#
        s":["experimental"],"operationId":"experimental.capabilities.get","parameters":[{"name":"directory","in":"quer\#
        y","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"r\#
        equired":false}],"responses":{"200":{"description":"Experimental capabilities","content":{"application/json":{\#
        "schema":{"$ref":"#/components/schemas/ExperimentalCapabilities"}}}},"400":{"description":"Bad request","conte\#
        nt":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not\#
         found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descr\#
        iption":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsidePro\#
        ject"}}}}},"description":"Get experimental features enabled on the OpenCode server.","summary":"Get experiment\#
        al capabilities"}},"/experimental/console":{"get":{"tags":["experimental"],"operationId":"experimental.console\#
        .get","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"wor\#
        kspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Active C\#
        onsole provider metadata","content":{"application/json":{"schema":{"$ref":"#/components/schemas/ConsoleState"}\#
        }}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/B\#
        adRequestError"}}}},"500":{"description":"InternalServerError","content":{"application/json":{"schema":{"$ref"\#
        :"#/components/schemas/effect_HttpApiError_InternalServerError"}}}},"404":{"description":"Not found","content"\#
        :{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside \#
        the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"descr\#
        iption":"Get the active Console org name and the set of provider IDs managed by that Console org.","summary":"\#
        Get active Console provider metadata"}},"/experimental/resource":{"get":{"tags":["experimental"],"operationId"\#
        :"experimental.resource.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"requi\#
        red":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":\#
        {"description":"MCP resources","content":{"application/json":{"schema":{"type":"object","additionalProperties"\#
        :{"$ref":"#/components/schemas/McpResource"}}}}},"400":{"description":"Bad request","content":{"application/js\#
        on":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"\#
        application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the\#
         project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"descript\#
        ion":"Get all available MCP resources from connected servers. Optionally filter by name.","summary":"Get MCP r\#
        esources"}},"/experimental/workspace":{"get":{"tags":["workspace"],"operationId":"experimental.workspace.list"\#
        ,"parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspac\#
        e","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Workspaces","\#
        content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Workspace"}}}}},"\#
        400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadReq\#
        uestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/\#
        schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"List all workspaces.","summary":"List worksp\#
        aces"}},"/experimental/workspace/adapter":{"get":{"tags":["workspace"],"operationId":"experimental.workspace.a\#
        dapter.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"nam\#
        e":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"W\#
        orkspace adapters","content":{"application/json":{"schema":{"type":"array","items":{"type":"object","propertie\#
        s":{"type":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"}},"required":["type","nam\#
        e","description"],"additionalProperties":false}}}}},"400":{"description":"Bad request","content":{"application\#
        /json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content"\#
        :{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside \#
        the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"descr\#
        iption":"List all available workspace adapters for the current project.","summary":"List workspace adapters"}}\#
        ,"/experimental/workspace/status":{"get":{"tags":["workspace"],"operationId":"experimental.workspace.status","\#
        parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace"\#
        ,"in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Workspace statu\#
        s","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/WorkspaceEven\#
        tConnectionStatus"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/\#
        components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schem\#
        a":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"app\#
        lication/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get connection stat\#
        us for workspaces in the current project.","summary":"Workspace status"}},"/file":{"get":{"tags":["file"],"ope\#
        rationId":"file.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":fal\#
        se},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"path","in":"query",\#
        "schema":{"type":"string"},"required":true}],"responses":{"200":{"description":"Files and directories","conten\#
        t":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/FileNode"}}}}},"400":{"\#
        description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestErr\#
        or"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas\#
        /NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref"\#
        :"#/components/schemas/OutsideProject"}}}}},"description":"List files and directories in a specified path.","s\#
        ummary":"List files"}},"/file/content":{"get":{"tags":["file"],"operationId":"file.read","parameters":[{"name"\#
        :"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schem\#
        a":{"type":"string"},"required":false},{"name":"path","in":"query","schema":{"type":"string"},"required":true}\#
        ],"responses":{"200":{"description":"File content","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/FileContent"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref"\#
        :"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"s\#
        chema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{\#
        "application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Read the conten\#
        t of a specified file.","summary":"Read file"}},"/file/status":{"get":{"tags":["file"],"operationId":"file.sta\#
        tus","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"work\#
        space","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"File stat\#
        us","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/File"}}}}},"\#
        400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadReq\#
        uestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/\#
        schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get the git status of all files in the proje\#
        ct.","summary":"Get file status"}},"/find/file":{"get":{"tags":["file"],"operationId":"find.files","parameters\#
        ":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"que\#
        ry","schema":{"type":"string"},"required":false},{"name":"query","in":"query","schema":{"type":"string"},"requ\#
        ired":true},{"name":"dirs","in":"query","schema":{"type":"string","enum":["true","false"]},"required":false},{\#
        "name":"type","in":"query","schema":{"type":"string","enum":["file","directory"]},"required":false},{"name":"l\#
        imit","in":"query","schema":{"type":"integer","minimum":1,"maximum":200},"required":false}],"responses":{"200"\#
        :{"description":"File paths","content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}\#
        }}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\#
        BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/compo\#
        nents/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Search for files or directories by nam\#
        e or pattern in the project directory.","summary":"Find files"}},"/formatter":{"get":{"tags":["instance"],"ope\#
        rationId":"formatter.status","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"requir\#
        ed":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{\#
        "description":"Formatter status","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/co\#
        mponents/schemas/FormatterStatus"}}}}},"400":{"description":"Bad request","content":{"application/json":{"sche\#
        ma":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"applicatio\#
        n/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project",\#
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get \#
        formatter status","summary":"Get formatter status"}},"/global/event":{"get":{"tags":["global"],"operationId":"\#
        global.event","parameters":[],"responses":{"200":{"description":"Event stream","content":{"text/event-stream":\#
        {"schema":{"$ref":"#/components/schemas/GlobalEvent"}}}},"400":{"description":"Bad request","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Subscribe to global e\#
        vents from the OpenCode system using server-sent events.","summary":"Get global events"}},"/global/health":{"g\#
        et":{"tags":["global"],"operationId":"global.health","parameters":[],"responses":{"200":{"description":"Health\#
         information","content":{"application/json":{"schema":{"type":"object","properties":{"healthy":{"type":"boolea\#
        n","enum":[true]},"version":{"type":"string"}},"required":["healthy","version"],"additionalProperties":false}}\#
        }},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Ba\#
        dRequestError"}}}}},"description":"Get health information about the OpenCode server.","summary":"Get health"}}\#
        ,"/lsp":{"get":{"tags":["instance"],"operationId":"lsp.status","parameters":[{"name":"directory","in":"query",\#
        "schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"requ\#
        ired":false}],"responses":{"200":{"description":"LSP server status","content":{"application/json":{"schema":{"\#
        type":"array","items":{"$ref":"#/components/schemas/LSPStatus"}}}}},"400":{"description":"Bad request","conten\#
        t":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not \#
        found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descri\#
        ption":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProj\#
        ect"}}}}},"description":"Get LSP server status","summary":"Get LSP status"}},"/mcp":{"get":{"tags":["mcp"],"op\#
        erationId":"mcp.status","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":f\#
        alse},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"desc\#
        ription":"MCP server status","content":{"application/json":{"schema":{"type":"object","additionalProperties":{\#
        "$ref":"#/components/schemas/MCPStatus"}}}}},"400":{"description":"Bad request","content":{"application/json":\#
        {"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"appl\#
        ication/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the pro\#
        ject","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description"\#
        :"Get the status of all Model Context Protocol (MCP) servers.","summary":"Get MCP status"}},"/path":{"get":{"t\#
        ags":["instance"],"operationId":"path.get","parameters":[{"name":"directory","in":"query","schema":{"type":"st\#
        ring"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respo\#
        nses":{"200":{"description":"Path","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Path"\#
        }}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\#
        BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/compo\#
        nents/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"sc\#
        hema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve the current working directory\#
         and related path information for the OpenCode instance.","summary":"Get paths"}},"/permission":{"get":{"tags"
        """#
}
