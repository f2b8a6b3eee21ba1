// SPDX-License-Identifier: Apache-2.0

// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part2 = #"""
        :["permission"],"operationId":"permission.list","parameters":[{"name":"directory","in":"query","schema":{"type\#
        ":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"\#
        responses":{"200":{"description":"List of pending permissions","content":{"application/json":{"schema":{"type"\#
        :"array","items":{"$ref":"#/components/schemas/PermissionRequest"}}}}},"400":{"description":"Bad request","con\#
        tent":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"N\#
        ot found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"des\#
        cription":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideP\#
        roject"}}}}},"description":"Get all pending permission requests across all sessions.","summary":"List pending \#
        permissions"}},"/project":{"get":{"tags":["project"],"operationId":"project.list","parameters":[{"name":"direc\#
        tory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"ty\#
        pe":"string"},"required":false}],"responses":{"200":{"description":"List of projects","content":{"application/\#
        json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Project"}}}}},"400":{"description":"Bad \#
        request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"de\#
        scription":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}\#
        },"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/sch\#
        emas/OutsideProject"}}}}},"description":"Get a list of projects that have been opened with OpenCode.","summary\#
        ":"List all projects"}},"/project/current":{"get":{"tags":["project"],"operationId":"project.current","paramet\#
        ers":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"\#
        query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Current project inform\#
        ation","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Project"}}}},"400":{"description"\#
        :"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404\#
        ":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundErr\#
        or"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/componen\#
        ts/schemas/OutsideProject"}}}}},"description":"Retrieve the currently active project that OpenCode is working \#
        with.","summary":"Get current project"}},"/project/{projectID}/directories":{"get":{"tags":["project"],"operat\#
        ionId":"project.directories","parameters":[{"name":"projectID","in":"path","schema":{"type":"string"},"require\#
        d":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in\#
        ":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Project directories\#
        ","content":{"application/json":{"schema":{"$ref":"#/components/schemas/ProjectDirectories"}}}},"400":{"descri\#
        ption":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}\#
        },"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFo\#
        undError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/co\#
        mponents/schemas/OutsideProject"}}}}},"description":"List known local absolute directories for a project.","su\#
        mmary":"List project directories"}},"/provider":{"get":{"tags":["provider"],"operationId":"provider.list","par\#
        ameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","i\#
        n":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of providers"\#
        ,"content":{"application/json":{"schema":{"type":"object","properties":{"all":{"type":"array","items":{"$ref":\#
        "#/components/schemas/Provider"}},"default":{"type":"object","additionalProperties":{"type":"string"}},"connec\#
        ted":{"type":"array","items":{"type":"string"}}},"required":["all","default","connected"],"additionalPropertie\#
        s":false}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/\#
        schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":\#
        "#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/js\#
        on":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all available AI\#
         providers, including both available and connected ones.","summary":"List providers"}},"/provider/auth":{"get"\#
        :{"tags":["provider"],"operationId":"provider.auth","parameters":[{"name":"directory","in":"query","schema":{"\#
        type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false\#
        }],"responses":{"200":{"description":"Provider auth methods","content":{"application/json":{"schema":{"type":"\#
        object","additionalProperties":{"type":"array","items":{"$ref":"#/components/schemas/ProviderAuthMethod"}}}}}}\#
        ,"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas/BadR\#
        equestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/component\#
        s/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema\#
        ":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve available authentication methods \#
        for all AI providers.","summary":"Get provider auth methods"}},"/pty":{"get":{"tags":["pty"],"operationId":"pt\#
        y.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"w\#
        orkspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List o\#
        f sessions","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Pty"\#
        }}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/components/schemas\#
        /BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{"$ref":"#/comp\#
        onents/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"s\#
        chema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a list of all active pseudo-termi\#
        nal (PTY) sessions managed by OpenCode.","summary":"List PTY sessions"},"post":{"tags":["pty"],"operationId":"\#
        pty.create","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name\#
        ":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Cr\#
        eated session","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pty"}}}},"400":{"descript\#
        ion":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/component\#
        s/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/comp\#
        onents/schemas/BadRequestError"}]}}}},"404":{"description":"Not found","content":{"application/json":{"schema"\#
        :{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"appli\#
        cation/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/OutsideProject"},{"$ref":"#/components/schemas/\#
        UnknownError"}]}}}}},"description":"Create a new pseudo-terminal (PTY) session for running shell commands and \#
        processes.","summary":"Create PTY session","requestBody":{"content":{"application/json":{"schema":{"type":"obj\#
        ect","properties":{"command":{"type":"string"},"args":{"type":"array","items":{"type":"string"}},"cwd":{"type"\#
        :"string"},"title":{"type":"string"},"env":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}},"\#
        /pty/{ptyID}/connect":{"get":{"tags":["pty"],"operationId":"pty.connect","parameters":[{"name":"ptyID","in":"p\#
        ath","schema":{"type":"string","pattern":"^pty[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"in":"query"\#
        ,"name":"directory","schema":{"type":"string"}},{"in":"query","name":"workspace","schema":{"type":"string"}},{\#
        "in":"query","name":"cursor","schema":{"type":"string"}},{"in":"query","name":"ticket","schema":{"type":"strin\#
        g"}}],"responses":{"200":{"description":"Connected session","content":{"application/json":{"schema":{"type":"b\#
        oolean"}}}},"403":{"description":"Forbidden","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/comp\#
        onents/schemas/effect_HttpApiError_Forbidden"},{"$ref":"#/components/schemas/OutsideProject"}]}}}},"404":{"des\#
        cription":"Not found","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}\#
        },"description":"Establish a WebSocket connection to interact with a pseudo-terminal (PTY) session in real-tim\#
        e.","summary":"Connect to PTY session"}},"/question":{"get":{"tags":["question"],"operationId":"question.list"\#
        ,"parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspac\#
        e","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of pendi\#
        ng questions","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/schemas/Qu\#
        estionRequest"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/comp\#
        onents/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{\#
        "$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"applica\#
        tion/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get all pending questio\#
        n requests across all sessions.","summary":"List pending questions"}},"/session":{"get":{"tags":["session"],"o\#
        perationId":"session.list","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required\#
        ":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"scope","in":"q\#
        uery","schema":{"type":"string","enum":["project"]},"required":false},{"name":"path","in":"query","schema":{"t\#
        ype":"string"},"required":false},{"name":"roots","in":"query","schema":{"anyOf":[{"type":"boolean"},{"type":"s\#
        tring","enum":["true","false"]}]},"required":false},{"name":"start","in":"query","schema":{"type":"number"},"r\#
        equired":false},{"name":"search","in":"query","schema":{"type":"string"},"required":false},{"name":"limit","in\#
        ":"query","schema":{"type":"integer","minimum":0,"maximum":9007199254740991},"required":false}],"responses":{"\#
        200":{"description":"List of sessions","content":{"application/json":{"schema":{"type":"array","items":{"$ref"\#
        :"#/components/schemas/Session"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema\#
        ":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/\#
        json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get a \#
        list of all OpenCode sessions, sorted by most recently updated.","summary":"List sessions"},"post":{"tags":["s\#
        ession"],"operationId":"session.create","parameters":[{"name":"directory","in":"query","schema":{"type":"strin\#
        g"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"response\#
        s":{"200":{"description":"Successfully created session","content":{"application/json":{"schema":{"$ref":"#/com\#
        ponents/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/j\#
        son":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/\#
        schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"Not f\#
        ound","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descrip\#
        tion":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProje\#
        ct"}}}},"501":{"description":"OpenCode 2 has nothing for it","content":{"application/json":{"schema":{"$ref":"\#
        #/components/schemas/UnknownError"}}}}},"description":"Create a new OpenCode session for interacting with AI a\#
        ssistants and managing conversations.","summary":"Create session","requestBody":{"content":{"application/json"\#
        :{"schema":{"type":"object","properties":{"parentID":{"type":"string","pattern":"^ses"},"title":{"type":"strin\#
        g"},"agent":{"type":"string"},"model":{"type":"object","properties":{"id":{"type":"string"},"providerID":{"typ\#
        e":"string"},"variant":{"type":"string"}},"required":["id","providerID"],"additionalProperties":false},"metada\#
        ta":{"type":"object"},"permission":{"$ref":"#/components/schemas/PermissionRuleset"},"workspaceID":{"type":"st\#
        ring","pattern":"^wrk"}}}}}}}},"/session/status":{"get":{"tags":["session"],"operationId":"session.status","pa\#
        rameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","\#
        in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Get session statu\#
        s","content":{"application/json":{"schema":{"type":"object","additionalProperties":{"$ref":"#/components/schem\#
        as/SessionStatus"}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{\#
        "schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schema\#
        s/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"Not found",\#
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":\#
        "Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}\#
        }},"description":"Retrieve the current status of all sessions, including active, idle, and completed states.",\#
        "summary":"Get session status"}},"/session/{sessionID}/children":{"get":{"tags":["session"],"operationId":"ses\#
        sion.children","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0\#
        -9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"requir\#
        ed":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{\#
        "description":"List of children","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/co\#
        mponents/schemas/Session"}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application\#
        /json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/component\#
        s/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"Not\#
        FoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"d\#
        escription":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Outsid\#
        eProject"}}}}},"description":"Retrieve all child sessions that were forked from the specified parent session."\#
        ,"summary":"Get session children"}},"/session/{sessionID}/diff":{"get":{"tags":["session"],"operationId":"sess\#
        ion.diff","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]\#
        *$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":f\#
        alse},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false},{"name":"messageID","in":"\#
        query","schema":{"type":"string","pattern":"^msg"},"required":false}],"responses":{"200":{"description":"Succe\#
        ssfully retrieved diff","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/components/\#
        schemas/SnapshotFileDiff"}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$r\#
        ef":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":\#
        {"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content\#
        ":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Get the file\#
         changes (diff) that resulted from a specific user message in the session.","summary":"Get message diff"}},"/s\#
        ession/{sessionID}/message":{"get":{"tags":["session"],"operationId":"session.messages","parameters":[{"name":\#
        "sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":\#
        true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"\#
        query","schema":{"type":"string"},"required":false},{"name":"limit","in":"query","schema":{"type":"integer","m\#
        inimum":0,"maximum":9007199254740991},"required":false},{"name":"before","in":"query","schema":{"type":"string\#
        "},"required":false}],"responses":{"200":{"description":"List of messages","content":{"application/json":{"sch\#
        ema":{"type":"array","items":{"type":"object","properties":{"info":{"$ref":"#/components/schemas/Message"},"pa\#
        rts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}},"required":["info","parts"],"additionalPro\#
        perties":false}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"sc\#
        hema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/I\#
        nvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError"\#
        ,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description"\#
        :"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}\#
        }}},"description":"Retrieve all messages in a session, including user prompts and AI responses.","summary":"Ge\#
        t session messages"},"post":{"tags":["session"],"operationId":"session.prompt","parameters":[{"name":"sessionI\#
        D","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"n\#
        ame":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","s\#
        chema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Created message","content":{"ap\#
        plication/json":{"schema":{"type":"object","required":["info","parts"],"properties":{"info":{"$ref":"#/compone\#
        nts/schemas/AssistantMessage"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}}}}}},"400\#
        ":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":\#
        "#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$\#
        ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application\#
        /json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","\#
        content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/OutsideProject"},{"$ref":"#/com\#
        ponents/schemas/UnknownError"}]}}}},"501":{"description":"OpenCode 2 has nothing for it","content":{"applicati\#
        on/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}},"500":{"description":"The turn gave no answ\#
        er","content":{"application/json":{"schema":{"$ref":"#/components/schemas/UnknownError"}}}}},"description":"Cr\#
        eate and send a new message to a session, streaming the AI response.","summary":"Send message","requestBody":{\#
        "content":{"application/json":{"schema":{"type":"object","properties":{"messageID":{"type":"string","pattern":\#
        "^msg"},"model":{"type":"object","properties":{"providerID":{"type":"string"},"modelID":{"type":"string"}},"re\#
        quired":["providerID","modelID"],"additionalProperties":false},"agent":{"type":"string"},"noReply":{"type":"bo\#
        olean"},"tools":{"type":"object","additionalProperties":{"type":"boolean"}},"format":{"$ref":"#/components/sch\#
        emas/OutputFormat"},"system":{"type":"string"},"variant":{"type":"string"},"parts":{"type":"array","items":{"a\#
        nyOf":[{"$ref":"#/components/schemas/TextPartInput"},{"$ref":"#/components/schemas/FilePartInput"},{"$ref":"#/\#
        components/schemas/AgentPartInput"},{"$ref":"#/components/schemas/SubtaskPartInput"}]}}},"required":["parts"]}\#
        }},"required":true}}},"/session/{sessionID}/message/{messageID}":{"get":{"tags":["session"],"operationId":"ses\#
        sion.message","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Za-z0-\#
        9_-]*$","maxLength":128},"required":true},{"name":"messageID","in":"path","schema":{"type":"string","pattern":\#
        "^msg[A-Za-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"str\#
        ing"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"respon\#
        ses":{"200":{"description":"Message","content":{"application/json":{"schema":{"type":"object","properties":{"i\#
        nfo":{"$ref":"#/components/schemas/Message"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Par\#
        t"}}},"required":["info","parts"],"additionalProperties":false}}}},"400":{"description":"BadRequest | InvalidR\#
        equestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiErr\#
        or_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestEr\#
        ror"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/\#
        schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"application/json":{"schema":\#
        {"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve a specific message from a session b\#
        y its message ID.","summary":"Get message"}},"/session/{sessionID}/todo":{"get":{"tags":["session"],"operation\#
        Id":"session.todo","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses[A-Z\#
        a-z0-9_-]*$","maxLength":128},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"re\#
        quired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"20\#
        0":{"description":"Todo list","content":{"application/json":{"schema":{"type":"array","items":{"$ref":"#/compo\#
        nents/schemas/Todo"}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json"\#
        :{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/sche\#
        mas/InvalidRequestError"},{"$ref":"#/components/schemas/BadRequestError"}]}}}},"404":{"description":"NotFoundE\#
        rror","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"descrip\#
        tion":"Outside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProje\#
        ct"}}}}},"description":"Retrieve the todo list associated with a specific session, showing tasks and action it\#
        ems.","summary":"Get session todos"}},"/skill":{"get":{"tags":["instance"],"operationId":"app.skills","paramet\#
        ers":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"\#
        query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"List of skills","conte\#
        nt":{"application/json":{"schema":{"type":"array","items":{"type":"object","properties":{"name":{"type":"strin\#
        g"},"description":{"type":"string"},"location":{"type":"string"},"content":{"type":"string"}},"required":["nam\#
        e","location","content"],"additionalProperties":false}}}}},"400":{"description":"Bad request","content":{"appl\#
        ication/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"O\#
        utside the project","content":{"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}}\#
        ,"description":"Get a list of all available skills in the OpenCode system.","summary":"List skills"}},"/vcs":{\#
        "get":{"tags":["instance"],"operationId":"vcs.get","parameters":[{"name":"directory","in":"query","schema":{"t\#
        ype":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}\#
        ],"responses":{"200":{"description":"VCS info","content":{"application/json":{"schema":{"$ref":"#/components/s\#
        chemas/VcsInfo"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref":"#/comp\#
        onents/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"schema":{\#
        "$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":{"applica\#
        tion/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Retrieve version contro\#
        l system (VCS) information for the current project, such as git branch.","summary":"Get VCS info"}},"/instance\#
        /dispose":{"post":{"tags":["instance"],"operationId":"instance.dispose","parameters":[{"name":"directory","in"\#
        :"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"strin\#
        g"},"required":false}],"responses":{"200":{"description":"Instance disposed","content":{"application/json":{"s\#
        chema":{"type":"boolean"}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$ref\#
        ":"#/components/schemas/BadRequestError"}}}},"404":{"description":"Not found","content":{"application/json":{"\#
        schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"403":{"description":"Outside the project","content":\#
        {"application/json":{"schema":{"$ref":"#/components/schemas/OutsideProject"}}}}},"description":"Clean up and d\#
        ispose the current OpenCode instance, releasing all resources.","summary":"Dispose instance"}},"/log":{"post":\#
        {"tags":["control"],"operationId":"app.log","parameters":[{"name":"directory","in":"query","schema":{"type":"s\#
        tring"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"resp\#
        onses":{"200":{"description":"Log entry written successfully","content":{"application/json":{"schema":{"type":
        """#
}
